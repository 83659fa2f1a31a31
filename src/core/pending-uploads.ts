/** The uploaded files that a call is about and that nobody has looked at yet. */
import { findUpload } from '../behaviours/uploads/upload.ts'
import { findKey } from '../protocol/auth.ts'
import type { HeldBytes, IncomingCall } from '../protocol/call.ts'
import { ApiError } from '../protocol/errors.ts'
import type { Match } from '../protocol/router.ts'
import type { Settings } from '../protocol/settings.ts'
import type { Session, Sessions } from '../sessions/sessions.ts'

/**
 * Pictures of the call's session whose pixels its endpoint asks for. They stay with the session and not with
 * the call, so that a file is looked at once, whoever names it; the core, which never waits, then finds in
 * them what it needs.
 */
export function pendingUploads(
  call: IncomingCall,
  match: Match,
  { sessions, settings }: { readonly sessions: Sessions; readonly settings: Settings },
): readonly HeldBytes[] {
  if (match.kind !== 'found') return []
  const { endpoint, group } = match.route
  const names = endpoint.files?.uploads?.(call.payload) ?? []
  if (names.length === 0) return []
  let session: Session
  try {
    session = sessions.resolve(call, findKey(call.headers, group.credentials), endpoint, match.params)
  } catch (error) {
    // The core refuses it when the call's turn comes.
    if (error instanceof ApiError) return []
    throw error
  }
  return names.flatMap((name) => {
    const found = findUpload(name, {
      world: session.world,
      settings: session.settings ?? settings,
    })
    const image = typeof found === 'object' ? found.bytes.image : undefined
    return typeof found === 'object' &&
      image !== undefined &&
      image.pixels === undefined &&
      image.damage === undefined
      ? [found.bytes]
      : []
  })
}
