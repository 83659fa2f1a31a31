/** The controls of a session on a server, made from the table: each call becomes one request. */
import type { Fields } from '../engine/fields.ts'
import { type Control, mapControls, type RemoteControls } from '../sessions/controls/control.ts'
import { controls } from '../sessions/controls/table.ts'
import type { Caller } from './call.ts'

type AnyControl = Pick<Control<never>, 'method' | 'path' | 'encode' | 'field' | 'paged' | 'decode'>

/** The functions of the table, over the control API of a server. @internal */
export function remoteControls(caller: Caller): RemoteControls<typeof controls> {
  return mapControls(controls, (control: AnyControl) => async (...args: unknown[]) => {
    const { path, rest } = fillPath(control.path, args)
    const argument = control.encode === undefined ? rest[0] : control.encode(rest[0] as never)
    if (control.paged === true) return readPages(caller, path, control.field as string, argument as Fields)
    const reply = await send(caller, control.method, path, argument)
    const result = control.field === undefined ? reply : (reply as Fields)[control.field]
    return control.decode === undefined ? result : control.decode(result as never)
  }) as unknown as RemoteControls<typeof controls>
}

/** The path with its parameter filled by the first argument, where it has one. */
function fillPath(template: string, args: readonly unknown[]): { path: string; rest: readonly unknown[] } {
  if (!template.includes('{')) return { path: template, rest: args }
  const path = template.replace(/\{\w+\}/, encodeURIComponent(String(args[0])))
  return { path, rest: args.slice(1) }
}

function send(
  { get, post, remove }: Caller,
  method: AnyControl['method'],
  path: string,
  argument: unknown,
): Promise<unknown> {
  if (method === 'POST') return post(path, argument)
  return method === 'GET' ? get(path, argument as Fields | undefined) : remove(path)
}

/** All pages of a list, or as many entries as `limit` allows. */
async function readPages(
  caller: Caller,
  path: string,
  field: string,
  query: Fields = {},
): Promise<unknown[]> {
  const limit = (query['limit'] as number | undefined) ?? Infinity
  const entries: unknown[] = []
  let after = query['after']
  for (;;) {
    const left = limit === Infinity ? undefined : limit - entries.length
    const page = await caller.get<Fields>(path, { ...query, after, limit: left })
    entries.push(...(page[field] as unknown[]))
    if (page['next'] === null || entries.length >= limit) return entries
    after = page['next']
  }
}
