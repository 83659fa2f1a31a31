/**
 * Ids that look like the service's own and carry the tag of the session that minted them, so that a client
 * which drops every header still reaches its own world.
 */
import { digest, type Random } from './random.ts'

/** Eight hexadecimal digits that stand for a session inside every id it mints. */
export type SessionTag = string

/** The tag of a session name; `attempt` > 0 gives another one, for the rare name whose tag is taken. */
export function sessionTag(name: string, attempt = 0): SessionTag {
  return digest(attempt === 0 ? `session:${name}` : `session:${name}#${attempt}`).slice(0, 8)
}

const defaultTag = sessionTag('default')

/**
 * A text as it would be in the default session: ids in it carry that one's tag. What chance belongs to is
 * taken from such texts, so that two sessions in which the same was said go on alike.
 */
export function withoutSession(text: string, tag: SessionTag): string {
  return tag === defaultTag || !text.includes(tag) ? text : text.replaceAll(tag, defaultTag)
}

/** An id such as `video_` + tag + further hexadecimal digits; `length` counts tag and digits. */
export function mintId(prefix: string, tag: SessionTag, random: Random, length = 32): string {
  return prefix + tag + random.fork(`id:${prefix}`).hex(length - tag.length)
}

/** An id in UUID form (version 4 bits set); its first group is the session tag. */
export function mintUuid(tag: SessionTag, random: Random): string {
  const hex = random.fork('uuid').hex(24)
  const variant = '89ab'[Number.parseInt(hex[7] ?? '0', 16) % 4]
  return `${tag}-${hex.slice(0, 4)}-4${hex.slice(4, 7)}-${variant}${hex.slice(8, 11)}-${hex.slice(11, 23)}`
}

/** The session tag inside an id made by `mintId` or `mintUuid`, or undefined for an id of another make. */
export function tagIn(id: string): SessionTag | undefined {
  return /^(?:[A-Za-z]+[-_])?([0-9a-f]{8})(?=[0-9a-f-])/.exec(id)?.[1]
}
