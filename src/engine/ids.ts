/**
 * Ids that look like the service's own and carry the tag of the session that minted them, so that a client
 * that drops every header still reaches its own session.
 */
import { digest, type Random } from './random.ts'

/** Eight hexadecimal digits that identify a session inside every id it mints. */
export type SessionTag = string

/** The tag of a session name; `attempt` > 0 gives another one, for when the tag is already taken. */
export function sessionTag(name: string, attempt = 0): SessionTag {
  return digest(attempt === 0 ? `session:${name}` : `session:${name}#${attempt}`).slice(0, 8)
}

/** The tag of the default session. */
export const defaultTag = sessionTag('default')

/**
 * A text with the session's tag replaced by that of the default session. Keys of chance are made from such
 * texts, so that two sessions with the same calls get the same answers.
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

/** The session tag in an id made by `mintId` or `mintUuid`; undefined for any other id. */
export function tagIn(id: string): SessionTag | undefined {
  return /^(?:[A-Za-z]+[-_])?([0-9a-f]{8})(?=[0-9a-f-])/.exec(id)?.[1]
}
