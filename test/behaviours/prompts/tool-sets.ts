/**
 * The tools of the table in docs/default-answers.md, described as real projects describe them. Each can be
 * run, so that a row can have several rounds.
 */
import { argumentSets } from './argument-sets.ts'
import { type Input, number, object, type RunnableTool, text, tool } from './runnable-tool.ts'

export type { RunnableTool } from './runnable-tool.ts'

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

export const toolSets = {
  sums: [
    tool('add', 'Add two numbers together', two, (input) => a(input) + b(input)),
    tool('subtract', 'Subtract the second number from the first', two, (input) => a(input) - b(input)),
    multiply,
    divide,
  ],
  'add or multiply': [
    multiply,
    tool('add_numbers', 'Returns the sum of two numbers', two, (input) => a(input) + b(input)),
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
  'weather or forecast': [
    weatherOf,
    tool(
      'get_forecast',
      'Get the weather forecast for the next days',
      object({ city: text(), days: { type: 'integer', minimum: 1, maximum: 14 } }),
      () => 'Sunny all week',
    ),
  ],
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
  stocks: [
    tool('get_stock_price', 'Get the latest price of a stock', object({ ticker: text() }), ({ ticker }) => ({
      ticker,
      price: 101.5,
    })),
  ],
  'number facts': [
    tool('factorial', 'Compute the factorial of n', object({ n: { type: 'integer' } }), () => 120),
    tool('is_prime', 'Whether a number is prime', object({ n: { type: 'integer' } }), () => true),
  ],
  todos: [
    tool('add_todo', 'Add a todo', object({ title: text() }), () => ({ id: 1 })),
    tool('list_todos', 'List all todos', object({}), () => [{ id: 1, title: 'Buy milk' }]),
    tool('complete_todo', 'Mark a todo as done', object({ id: { type: 'integer' } })),
    tool('delete_todo', 'Remove a todo', object({ id: { type: 'integer' } })),
  ],
  travel: [
    tool(
      'search_flights',
      'Search for flights between two cities',
      object({ origin: text(), destination: text() }),
    ),
    tool('book_hotel', 'Book a hotel room', object({ city: text(), nights: { type: 'integer' } })),
    tool(
      'convert_currency',
      'Convert an amount from one currency into another',
      object({ amount: number(), from: text(), to: text() }),
      () => 92.1,
    ),
  ],
  'where I am': [
    tool('getWeather', 'Get the weather in a location', object({ location: text() }), () => 'Rain'),
    tool('getCurrentLocation', 'Get the current location of the user', object({}), () => ({
      location: 'Graz',
    })),
  ],
  handoffs: [
    tool('transfer_to_refund_agent', 'Handoff to the Refund agent to handle the request.', object({})),
    tool('transfer_to_order_agent', 'Handoff to the Order agent to handle the request.', object({})),
  ],
  // Some clients send no descriptions.
  shop: [
    tool('addToCart', undefined, object({ productId: text(), quantity: { type: 'integer' } })),
    tool('getProducts', undefined, object({}), () => [{ id: 'p1', name: 'Guitar' }]),
    tool('removeFromCart', undefined, object({ productId: text() })),
    tool('checkout', undefined, object({})),
  ],
  // The name that LangChain gives to the tool of a response format.
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
  ...argumentSets,
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
