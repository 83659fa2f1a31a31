/** Tools with one kind of arguments each, for the table's section on arguments. */
import { number, object, text, tool } from './runnable-tool.ts'

const integer = (description?: string): object => ({
  type: 'integer',
  ...(description && { description }),
})
const list = (items: object): object => ({ type: 'array', items })
const oneOf = (...values: readonly string[]): object => ({ type: 'string', enum: values })

export const argumentSets = {
  statistics: [tool('mean', 'The mean of numbers', object({ numbers: list(number()) }))],
  binary: [
    tool(
      'calculate',
      'Calculate with two numbers',
      object({ x: number(), y: number(), operation: oneOf('add', 'subtract', 'multiply', 'divide') }),
    ),
  ],
  copy: [tool('copy_file', 'Copy a file', object({ source: text(), destination: text() }))],
  grep: [tool('grep', 'Search files for a pattern', object({ pattern: text(), path: text() }))],
  fetch: [tool('fetch_url', 'Fetch a web page', object({ url: { type: 'string', format: 'uri' } }))],
  parcels: [
    tool(
      'track_parcel',
      'Find out where a parcel is',
      object({ code: { type: 'string', pattern: '^[A-Z]{3}-\\d{4}$' } }),
    ),
  ],
  users: [tool('get_user', 'Look up a user', object({ user_id: text() }))],
  issues: [tool('close_issue', 'Close an issue', object({ issue_number: integer() }))],
  settings: [tool('set_value', 'Store a value under a key', object({ key: text(), value: text() }))],
  documents: [
    tool(
      'insert',
      'Insert a document into a collection',
      object({ collection: text('Name of the collection'), document: { type: 'object' } }),
    ),
  ],
  printer: [tool('print', 'Print a document', object({ copies: integer() }))],
  results: [tool('list_articles', 'List articles', object({ limit: integer() }))],
  payments: [tool('pay', 'Pay somebody', object({ amount: number(), currency: text(), recipient: text() }))],
  refunds: [tool('refund', 'Refund a payment', object({ amount_cents: integer() }))],
  units: [
    tool(
      'convert_units',
      'Convert between units',
      object({ value: number(), from_unit: text(), to_unit: text() }),
    ),
  ],
  shipping: [
    tool('ship', 'Ship a parcel to an address', object({ street: text(), city: text(), zip_code: text() })),
  ],
  places: [tool('find_places', 'Find places nearby', object({ latitude: number(), longitude: number() }))],
  translation: [
    tool(
      'translate',
      'Translate a text',
      object({ text: text(), target_language: text('ISO 639-1 code of the language') }),
    ),
  ],
  messages: [tool('send_message', 'Send a message', object({ recipient: text(), message: text() }))],
  shell: [tool('run', 'Run a shell command', object({ command: text() }))],
  database: [tool('query', 'Run an SQL query', object({ sql: text() }))],
  'shopping list': [tool('add_items', 'Add to the shopping list', object({ items: list(text()) }))],
  basket: [
    tool(
      'add_to_basket',
      'Put things into the basket',
      object({ items: list(object({ name: text(), quantity: integer() })) }),
    ),
  ],
  sorting: [
    tool('list_posts', 'List posts', object({ sort: text(), order: oneOf('asc', 'desc') }, ['order'])),
  ],
  bugs: [tool('report_bug', 'Report a bug', object({ priority: oneOf('low', 'medium', 'high') }))],
  brainstorm: [tool('save_ideas', 'Save ideas', object({ ideas: list(text()) }))],
} as const
