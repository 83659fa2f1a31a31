/**
 * The tools of the table in table.md, described as real projects describe them. Each can be
 * run, so that a row can have several rounds.
 */
type Input = Readonly<Record<string, unknown>>

export interface RunnableTool {
  readonly name: string
  readonly description?: string
  readonly parameters: Readonly<Record<string, unknown>>
  run(input: Input): unknown
}

type Properties = Readonly<Record<string, unknown>>

const object = (properties: Properties, required = Object.keys(properties)): RunnableTool['parameters'] => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
})
const text = (description?: string): object => ({
  type: 'string',
  ...(description && { description }),
})
const number = (description?: string): object => ({
  type: 'number',
  ...(description && { description }),
})
const tool = (
  name: string,
  description: string | undefined,
  parameters: RunnableTool['parameters'],
  run: (input: Input) => unknown = () => ({ ok: true }),
): RunnableTool => ({ name, ...(description !== undefined && { description }), parameters, run })

const two = object({ a: number('First number'), b: number('Second number') })
const a = (input: Input): number => Number(input['a'])
const b = (input: Input): number => Number(input['b'])
const multiply = tool('multiply', 'Multiply two numbers together', two, (input) => a(input) * b(input))
const divide = tool('divide', 'Divide the first number by the second', two, (input) => a(input) / b(input))

const evaluate = ({ expression }: Input): unknown => {
  const sum = String(expression)
  // biome-ignore lint/security/noGlobalEval: only the characters of arithmetic
  return /^[\d\s.+*/()-]+$/.test(sum) ? globalThis.eval(sum) : { error: `cannot evaluate ${sum}` }
}
const city = object({ city: text('The name of the city, e.g. San Francisco') })
const weatherOf = tool('get_weather', 'Get the current weather for a city', city, (input) => ({
  city: input['city'],
  temperature: 18,
  condition: 'cloudy',
}))
const webSearch = tool(
  'web_search',
  'Search the web for up-to-date information',
  object({ query: text('What to search for') }),
  ({ query }) => [{ title: `About ${query}`, url: 'https://example.com/1' }],
)

const when = (description: string): object => ({ type: 'string', format: 'date-time', description })

export const toolSets = {
  sums: [
    tool('add', 'Add two numbers together', two, (input) => a(input) + b(input)),
    tool('subtract', 'Subtract the second number from the first', two, (input) => a(input) - b(input)),
    multiply,
    divide,
  ],
  calculator: [
    tool(
      'calculator',
      'A tool for evaluating mathematical expressions. Example expressions: "1.2 * (2 + 4.5)", "sqrt(16)".',
      object({ expression: text('The mathematical expression to evaluate') }),
      evaluate,
    ),
  ],
  weather: [weatherOf],
  assistant: [
    weatherOf,
    tool('get_time', 'Get the current time in a city', city, () => '10:45'),
    webSearch,
    tool(
      'send_email',
      'Send an email to a recipient',
      object({ to: { type: 'string', format: 'email' }, subject: text(), body: text() }),
      () => 'Sent.',
    ),
  ],
  files: [
    tool('list_files', 'List the files in a directory', object({ path: text('Directory to list') }), () => [
      'README.md',
      'src',
    ]),
    tool(
      'read_file',
      'Read the contents of a file',
      object({ path: text('Path of the file') }),
      () => '# Hi',
    ),
    tool(
      'write_file',
      'Write text to a file, replacing what it holds',
      object({ path: text('Path of the file'), content: text('The new text') }),
    ),
    tool('delete_file', 'Delete a file', object({ path: text('Path of the file') })),
  ],
  orders: [
    tool(
      'create_order',
      'Create a new order for a customer',
      object({ product: text(), quantity: { type: 'integer', minimum: 1 } }),
      () => ({ order_id: 'ORD-9001' }),
    ),
    tool(
      'get_order',
      'Look up an order and its status by id',
      object({ order_id: text() }),
      ({ order_id }) => ({ order_id, status: 'shipped', customer: 'Ada' }),
    ),
    tool(
      'update_order',
      'Change the quantity of an order',
      object({ order_id: text(), quantity: { type: 'integer' } }),
    ),
    tool('cancel_order', 'Cancel an existing order', object({ order_id: text() })),
  ],
  'broken search': [
    tool(
      'search_products',
      'Search the product catalog',
      object({ query: text() }),
      () => 'Error: connection refused',
    ),
  ],
  'customers and orders': [
    tool(
      'find_customer',
      'Find a customer by name and return the record',
      object({ name: text() }),
      ({ name }) => ({ customer_id: 'cus_42', name }),
    ),
    tool('list_orders', 'List the orders of a customer', object({ customer_id: text() }), () => [
      { order_id: 'ORD-7' },
    ]),
  ],
  'calculator and answer': [
    tool(
      'calculate',
      'A tool for evaluating mathematical expressions.',
      object({ expression: text() }),
      evaluate,
    ),
    tool(
      'answer',
      'A tool for providing the final answer.',
      object({
        steps: {
          type: 'array',
          items: object({ calculation: text(), reasoning: text() }),
        },
        answer: text(),
      }),
    ),
  ],
  'weather and done': [
    weatherOf,
    tool('done', 'Signal that you have finished your work', object({ answer: text('The final answer') })),
  ],
  'weather and extract': [
    weatherOf,
    tool('extract-1', undefined, object({ city: text(), temperature: number(), condition: text() })),
  ],
  'final result': [
    tool(
      'final_result',
      'The final response which ends this conversation',
      object({ name: text(), age: { type: 'integer' } }),
    ),
  ],
  calendar: [
    tool(
      'find_events',
      'Search the calendar by words in the title',
      object({ query: text('Words to look for') }),
      () => ({ events: [{ event_id: 'evt_81', title: 'Dentist' }] }),
    ),
    tool(
      'create_event',
      'Create a calendar event',
      object(
        { title: text(), start: when('Start of the event, ISO 8601'), duration_minutes: { type: 'integer' } },
        ['title', 'start'],
      ),
    ),
    tool(
      'move_event',
      'Move an event to another start time',
      object({ event_id: text(), start: when('New start, ISO 8601') }),
    ),
    tool('delete_event', 'Delete an event for good', object({ event_id: text() })),
  ],
  travel: [
    tool(
      'search_flights',
      'Search flights',
      object({
        origin: text(),
        destination: text(),
        departure_date: { type: 'string', format: 'date' },
        return_date: { type: ['string', 'null'], format: 'date' },
      }),
    ),
    tool('book_hotel', 'Book a hotel room', object({ city: text(), nights: { type: 'integer' } })),
  ],
} as const satisfies Readonly<Record<string, readonly RunnableTool[]>>

/** JSON Schemas of structured output, for the choice `schema <name>`. */
export const schemas = {
  person: object({ name: text(), age: { type: 'integer' }, city: text() }),
  titles: object({ titles: { type: 'array', items: text() } }),
  invoice: object({ company: text(), total: number(), currency: text(), due_date: text() }),
} as const satisfies Readonly<Record<string, object>>

/** A tool as the page shows it: `add(a, b)`. */
export const signatureOf = ({ name, parameters }: RunnableTool): string => {
  const { properties, required } = parameters as { properties: object; required: readonly string[] }
  return `${name}(${Object.keys(properties)
    .map((key) => (required.includes(key) ? key : `${key}?`))
    .join(', ')})`
}
