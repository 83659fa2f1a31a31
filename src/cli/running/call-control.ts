/** Runs `gateway-sim control`: calls any control of a running simulator by its name, or lists them. */
import { jsonIn } from '../../engine/fields.ts'
import { didYouMean } from '../../protocol/nearest-word.ts'
import { controlPrefix } from '../../protocol/paths.ts'
import { listControls } from '../../sessions/controls/control.ts'
import { type ExitCode, exitCodes, type Io, usageError } from '../command.ts'
import type { ControlCallArgs } from '../flags.ts'
import { allControls, jsonText, runControl } from './control.ts'

export async function callControl(
  args: ControlCallArgs,
  io: Io,
  table: object = allControls,
): Promise<ExitCode> {
  const known = listControls(table).map(([{ method, path }, place]) => ({
    name: place.join('.'),
    method,
    path: `${controlPrefix}${path}`,
  }))
  const [name, ...words] = args.words
  if (name === undefined) {
    const width = Math.max(...known.map((one) => one.name.length))
    const lines = known.map((one) => `${one.name.padEnd(width)}  ${one.method.padEnd(6)} ${one.path}\n`)
    io.stdout.write(args.format === 'json' ? jsonText(known) : lines.join(''))
    return exitCodes.ok
  }
  const control = known.find((one) => one.name === name)
  if (control === undefined) {
    const names = known.map((one) => one.name)
    throw usageError(`There is no control ${JSON.stringify(name)}${didYouMean(name, names, '', ': ')}`)
  }
  const [, parameter] = /\{(\w+)\}/.exec(control.path) ?? []
  if (parameter !== undefined && words.length === 0) throw usageError(`${name} needs the ${parameter}`)
  const most = parameter === undefined ? 1 : 2
  if (words.length > most) throw usageError(`Unknown argument: ${words.slice(most).join(', ')}`)
  const id = parameter === undefined ? [] : words.slice(0, 1)
  const given = [...id, ...words.slice(id.length).map((word) => jsonIn(word) ?? word)]
  return runControl(args, io, { name, given, table })
}
