/** The sets of tools and the schemas of the rows in more-rows.md. */
import { number, object, text, tool } from './runnable-tool.ts'

const whole = (description?: string, more: object = {}): object => ({
  type: 'integer',
  ...(description ? { description } : {}),
  ...more,
})
const flag = (description?: string): object => ({ type: 'boolean', ...(description ? { description } : {}) })
const oneOf = (...values: string[]): object => ({ type: 'string', enum: values })
const many = (items: object, more: object = {}): object => ({ type: 'array', items, ...more })

export const moreSets = {
  library: [
    tool(
      'find_book',
      'Looks up a title in the library catalogue',
      object({ title: text('Title of the book') }),
      ({ title }) => ({ isbn: '9780141439518', title, copies_left: 3 }),
    ),
    tool(
      'reserve_book',
      'Puts a hold on a book for a member',
      object({ isbn: text('ISBN, 13 digits') }),
      () => ({ reservation: 'R-55' }),
    ),
    tool(
      'renew_loan',
      'Extends a running loan',
      object({ isbn: text('ISBN, 13 digits'), weeks: whole('How many weeks to extend by') }),
      () => 'extended',
    ),
    tool(
      'return_book',
      'Registers that a book was brought back',
      object({ isbn: text('ISBN, 13 digits') }),
      () => 'returned',
    ),
  ],
  calendar: [
    tool(
      'list_events',
      'All calendar entries of one day',
      object({ date: { type: 'string', format: 'date' } }),
      () => [{ event_id: 'evt_9', title: 'Dentist', start: '09:30' }],
    ),
    tool(
      'create_event',
      'Add an entry to the calendar',
      object({
        title: text(),
        date: { type: 'string', format: 'date' },
        start_time: text('HH:MM, 24 hours'),
      }),
      () => ({ event_id: 'evt_10' }),
    ),
    tool('delete_event', 'Remove an entry from the calendar', object({ event_id: text() }), () => 'gone'),
  ],
  mailbox: [
    tool(
      'send_mail',
      'Sends an e-mail right away',
      object({ to: text('Address of the recipient'), subject: text(), body: text() }),
      () => 'queued',
    ),
    tool(
      'create_draft',
      'Saves an e-mail as a draft without sending it',
      object({ to: text('Address of the recipient'), subject: text(), body: text() }),
      () => 'saved',
    ),
    tool('search_mail', 'Full-text search over the inbox', object({ query: text() }), () => [
      { message_id: 'm-18', subject: 'Invoice March' },
    ]),
    tool(
      'archive_mail',
      'Moves a message out of the inbox',
      object({ message_id: text() }),
      () => 'archived',
    ),
  ],
  'smart home': [
    tool(
      'set_light',
      'Switches the light of a room',
      object({ room: text(), on: flag('true to switch on, false to switch off') }),
      () => 'ok',
    ),
    tool(
      'set_thermostat',
      'Sets the target temperature of a room',
      object({ room: text(), celsius: number('Target in degrees Celsius') }),
      () => 'ok',
    ),
    tool('lock_door', 'Locks a door', object({ door: oneOf('front', 'back', 'garage') }), () => 'locked'),
    tool(
      'read_sensor',
      'Reads the temperature and humidity measured in a room',
      object({ room: text() }),
      () => ({ celsius: 21.5, humidity: 40 }),
    ),
  ],
  'recipe and submit': [
    tool(
      'lookup_recipe',
      'Fetch a recipe from the cookbook',
      object({ dish: text('Name of the dish') }),
      ({ dish }) => ({ dish, minutes: 35, servings: 4 }),
    ),
    tool(
      'submit_answer',
      'Call this last, with the answer for the user',
      object({ answer: text('Complete answer to the question') }),
    ),
  ],
  'account and report': [
    tool(
      'get_balance',
      'Balance of a bank account',
      object({ account: text('Account number') }),
      ({ account }) => ({ account, balance: 1250.5, currency: 'EUR' }),
    ),
    tool(
      'report',
      'Deliver the final result. Use it when you know everything you need.',
      object({ account: text(), balance: number(), currency: text() }),
    ),
  ],
  'distance and final': [
    tool(
      'distance_km',
      'Distance by road between two cities in kilometres',
      object({ origin: text(), destination: text() }),
      () => ({ distance_km: 878 }),
    ),
    tool(
      'final_answer',
      'Provides a final answer to the given problem.',
      object({ answer: text('The final answer to the problem') }),
    ),
  ],
  'sums and finish': [
    tool(
      'sum',
      'Sum of two integers',
      object({ x: whole(), y: whole() }),
      ({ x, y }) => Number(x) + Number(y),
    ),
    tool(
      'product',
      'Product of two integers',
      object({ x: whole(), y: whole() }),
      ({ x, y }) => Number(x) * Number(y),
    ),
    tool(
      'finish',
      'Return the result and end the run',
      object({ result: number('The number that was asked for') }),
    ),
  ],
  tickets: [
    tool(
      'list_tickets',
      'Lists support tickets in a given state',
      object({ status: oneOf('open', 'closed', 'on_hold') }),
      () => [{ ticket_id: 'TCK-0042', title: 'Printer on fire' }],
    ),
    tool(
      'get_ticket',
      'Shows one support ticket',
      object({ ticket_id: { type: 'string', pattern: '^TCK-[0-9]{4}$' } }),
      ({ ticket_id }) => ({ ticket_id, title: 'Printer on fire', reporter: 'Mina' }),
    ),
    tool(
      'assign_ticket',
      'Gives a support ticket to somebody',
      object({ ticket_id: { type: 'string', pattern: '^TCK-[0-9]{4}$' }, assignee: text() }),
      () => 'assigned',
    ),
    tool(
      'close_ticket',
      'Closes a support ticket',
      object({ ticket_id: { type: 'string', pattern: '^TCK-[0-9]{4}$' } }),
      () => 'closed',
    ),
  ],
  git: [
    tool('git_status', 'Shows the state of the working tree', object({}), () => 'clean'),
    tool(
      'git_commit',
      'Records the staged changes',
      object({ message: text('Commit message') }),
      () => 'a1b2c3d',
    ),
    tool('git_checkout', 'Switches to a branch', object({ branch: text() }), () => 'switched'),
    tool('git_diff', 'Shows what changed in a file', object({ path: text() }), () => '+ one line'),
  ],
  music: [
    tool('play_track', 'Plays a song', object({ title: text(), artist: text() }), () => 'playing'),
    tool('pause', 'Pauses playback', object({}), () => 'paused'),
    tool(
      'set_volume',
      'Sets the volume',
      object({ level: whole('0 to 100', { minimum: 0, maximum: 100 }) }),
      () => 'ok',
    ),
  ],
  'clock and sky': [
    tool('current_time', 'Tells what time it is somewhere', object({ place: text('A city') }), () => '22:15'),
    tool(
      'weather_report',
      'Tells what the weather is like somewhere',
      object({ place: text('A city'), unit: oneOf('celsius', 'fahrenheit') }),
      ({ place }) => ({ place, temp: 7, sky: 'drizzle' }),
    ),
  ],
  bank: [
    tool(
      'transfer_money',
      'Wire money to an account',
      object({ amount: number(), currency: oneOf('EUR', 'USD', 'GBP'), iban: text() }),
      () => 'done',
    ),
    tool(
      'get_exchange_rate',
      'Rate between two currencies, as ISO codes',
      object({ base: text('ISO 4217 code'), target: text('ISO 4217 code') }),
      () => 1.08,
    ),
  ],
  staff: [
    tool('lookup_employee', 'Find an employee by name', object({ name: text('Full name') }), ({ name }) => ({
      employee_id: 'E-311',
      name,
    })),
    tool(
      'get_vacation_days',
      'How many vacation days an employee has left',
      object({ employee_id: text() }),
      () => ({ days_left: 12 }),
    ),
    tool(
      'notify_employee',
      'Sends an employee a short notification',
      object({ employee_id: text(), message: text() }),
      () => 'notified',
    ),
  ],
  address: [
    tool(
      'validate_address',
      'Checks a US postal address',
      object({
        street: text('House number and street'),
        city: text(),
        state: text('Two-letter code'),
        zip: { type: 'string', pattern: '^[0-9]{5}$' },
      }),
      () => ({ valid: true }),
    ),
  ],
  http: [
    tool(
      'http_request',
      'Makes an HTTP request',
      object({ method: oneOf('GET', 'POST', 'PUT', 'DELETE'), url: { type: 'string', format: 'uri' } }),
      () => ({ status: 200 }),
    ),
  ],
  signup: [
    tool(
      'create_account',
      'Registers a new user',
      object({
        profile: object({
          first_name: text(),
          last_name: text(),
          email: { type: 'string', format: 'email' },
        }),
        newsletter: flag('Whether the user wants the newsletter'),
      }),
      () => ({ id: 77 }),
    ),
  ],
  outline: [
    tool(
      'create_outline',
      'Stores the outline of an article',
      object({ topic: text(), sections: many(text()) }),
      () => 'stored',
    ),
  ],
  maths: [
    tool(
      'power',
      'Raises a base to an exponent',
      object({ base: number(), exponent: number() }),
      ({ base, exponent }) => Number(base) ** Number(exponent),
    ),
    tool('square_root', 'The square root of a number', object({ x: number() }), ({ x }) =>
      Math.sqrt(Number(x)),
    ),
    tool(
      'modulo',
      'Remainder of a division',
      object({ dividend: whole(), divisor: whole() }),
      ({ dividend, divisor }) => Number(dividend) % Number(divisor),
    ),
  ],
  'wiki and page': [
    tool(
      'search_wiki',
      'Search the company wiki; returns the ids of matching pages',
      object({ query: text() }),
      () => [{ page_id: 'pg-204', title: 'Onboarding' }],
    ),
    tool('read_page', 'Read a page of the company wiki', object({ page_id: text() }), ({ page_id }) => ({
      page_id,
      body: 'Bring your passport.',
    })),
  ],
  'lone final answer': [
    tool('final_answer', 'Provides the final answer to the user', object({ answer: text() })),
  ],
  'lone verdict': [
    tool(
      'return_verdict',
      'Use this tool to return the structured result',
      object({
        sentiment: oneOf('positive', 'negative', 'neutral'),
        confidence: { type: 'number', minimum: 0, maximum: 1 },
      }),
    ),
  ],
  booking: [
    tool(
      'book_table',
      'Reserves a table in a restaurant',
      object({
        restaurant: text(),
        guests: whole('Number of guests'),
        date: { type: 'string', format: 'date' },
        outdoor: flag('Sit outside?'),
      }),
      () => ({ confirmation: 'BT-3' }),
    ),
  ],
  webhook: [
    tool(
      'post_event',
      'Publishes an event',
      object({ name: text('Event name'), payload: { type: 'object' } }),
      () => 'accepted',
    ),
  ],
} as const

export const moreSchemas = {
  quiz: object({ questions: many(object({ question: text(), answer: text() })) }),
  verdict: object({ spam: flag('Is the message spam?'), reason: text() }),
  contact: object({ full_name: text(), email: text(), phone: text() }),
  slogans: object({ slogans: many(text(), { minItems: 4, maxItems: 4 }) }),
} as const
