/** `gateway-sim control`: calls any control of a running simulator by its name, or lists them. */
import { jsonIn } from '../../engine/fields.ts'
import { didYouMean } from '../../protocol/nearest-word.ts'
import { controlPrefix } from '../../protocol/paths.ts'
import { type AnyControl, listControls } from '../../sessions/controls/control.ts'
import { textTable } from '../../text/printable.ts'
import { defineCommand, type ExitCode, exitCodes, type Io, usageError } from '../command.ts'
import { clientFlags, format } from '../flags.ts'
import {
  allControls,
  type ClientArgs,
  clientOf,
  controlOf,
  jsonText,
  requireSession,
  resultOf,
  targetOf,
} from './simulator.ts'

type ControlArgs = ClientArgs & {
  readonly words: readonly string[]
  readonly format: 'pretty' | 'json'
}

export const command = defineCommand({
  arguments: '[words..]',
  examples: [
    ['gateway-sim control', 'List the controls with their URLs'],
    ['gateway-sim control clock.advance 10s', 'Advance a manual or auto clock by ten seconds'],
    [
      'gateway-sim control overrides.add fault=disconnect times=1',
      'Interrupt the next response; when.operation=chat.create selects requests',
    ],
    ['gateway-sim control jobs.change video_1 finished=true', 'Complete a video'],
    ['gateway-sim control reset all=true', 'Reset all sessions'],
  ],
  flags: { ...clientFlags, format },
  handler: (args, io) => callControl(args, io),
})

export async function callControl(
  args: ControlArgs,
  { stdout, env }: Io,
  table: object = allControls,
): Promise<ExitCode> {
  const isJson = args.format === 'json'
  const known = listControls(table)
  const [name, ...words] = args.words
  if (name === undefined) {
    stdout.write(controlList(known, isJson))
    return exitCodes.ok
  }
  const [control, place] = known.find(([, path]) => path.join('.') === name) ?? []
  if (control === undefined || place === undefined) {
    const names = known.map(([, path]) => path.join('.'))
    throw usageError(`There is no control ${JSON.stringify(name)}${didYouMean(name, names, '', ': ')}`)
  }
  const given = argumentsOf(name, control, words)
  const target = targetOf(args, env)
  const client = clientOf(target, args.session)
  await requireSession(client, target)
  const result = await resultOf(controlOf(client, target, table, place)(...given), target)
  const { print = jsonText } = control
  stdout.write(isJson ? jsonText(result) : print(result as never))
  return exitCodes.ok
}

type Known = ReturnType<typeof listControls>

function controlList(known: Known, isJson: boolean): string {
  const rows = known.map(([{ method, path }, place]) => ({
    name: place.join('.'),
    method,
    path: `${controlPrefix}${path}`,
  }))
  if (isJson) return jsonText(rows)
  return textTable(
    ['CONTROL', 'METHOD', 'PATH'],
    rows.map(({ name, method, path }) => [name, method, path]),
  )
}

/** The id in the path, then the argument: text, JSON, or `field=value` words. */
function argumentsOf(name: string, { path }: AnyControl, words: readonly string[]): unknown[] {
  const [, parameter] = /\{(\w+)\}/.exec(path) ?? []
  const ids = parameter === undefined ? [] : words.slice(0, 1)
  const others = words.slice(ids.length)
  if (parameter !== undefined && ids.length === 0) throw usageError(`${name} needs the ${parameter}`)
  const isField = /^[A-Za-z][\w.]*=/
  if (others.length > 0 && others.every((word) => isField.test(word))) return [...ids, fieldsIn(others)]
  if (others.length > 1)
    throw usageError(`${name} takes one argument, or field=value words; got ${others.join(' ')}`)
  return [...ids, ...others.map((word) => jsonIn(word) ?? word)]
}

/** `times=1 when.nth=2` as `{ times: 1, when: { nth: 2 } }`. */
function fieldsIn(words: readonly string[]): object {
  const fields = Object.create(null) as Record<string, unknown>
  for (const word of words) {
    const [path = '', value = ''] = word.split(/=(.*)/s)
    const names = path.split('.')
    const last = names.pop() as string
    let inner = fields
    for (const name of names) inner = (inner[name] ??= Object.create(null)) as typeof fields
    inner[last] = jsonIn(value) ?? value
  }
  return fields
}
