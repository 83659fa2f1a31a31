/** Every fault, in the order of the documentation. Adding one: its file and its line here. */
import { ambiguousSubmit } from './ambiguous-submit.ts'
import { auth } from './auth.ts'
import { bom } from './bom.ts'
import { checksumMismatch } from './checksum-mismatch.ts'
import { contentFilter } from './content-filter.ts'
import { corrupt } from './corrupt.ts'
import { disconnect } from './disconnect.ts'
import { dribble } from './dribble.ts'
import { duplicate } from './duplicate.ts'
import { errorEvent } from './error-event.ts'
import { expired } from './expired.ts'
import { fail } from './fail.ts'
import type { Fault } from './fault.ts'
import { hang } from './hang.ts'
import { joinEvents } from './join.ts'
import { keepAlive } from './keep-alive.ts'
import { lineEnds } from './line-ends.ts'
import { malformedEvent } from './malformed-event.ts'
import { malformedJson } from './malformed-json.ts'
import { missingEnd } from './missing-end.ts'
import { multiLineData } from './multi-line-data.ts'
import { outOfOrder } from './out-of-order.ts'
import { overloaded } from './overloaded.ts'
import { quota } from './quota.ts'
import { rateLimit } from './rate-limit.ts'
import { refuse } from './refuse.ts'
import { regress } from './regress.ts'
import { reset } from './reset.ts'
import { splitEvent } from './split.ts'
import { stall } from './stall.ts'
import { stallBody } from './stall-body.ts'
import { stuck } from './stuck.ts'
import { tampered } from './tampered.ts'
import { truncate } from './truncate.ts'
import { vanish } from './vanish.ts'
import { wrongContentType } from './wrong-content-type.ts'
import { wrongLength } from './wrong-length.ts'
import { wrongMethod } from './wrong-method.ts'

export const faults: readonly Fault[] = [
  hang,
  reset,
  refuse,
  wrongContentType,
  wrongLength,
  truncate,
  corrupt,
  malformedJson,
  dribble,
  stallBody,
  disconnect,
  stall,
  errorEvent,
  missingEnd,
  malformedEvent,
  splitEvent,
  joinEvents,
  duplicate,
  outOfOrder,
  keepAlive,
  lineEnds,
  bom,
  multiLineData,
  rateLimit,
  quota,
  overloaded,
  auth,
  contentFilter,
  stuck,
  regress,
  vanish,
  fail,
  ambiguousSubmit,
  expired,
  wrongMethod,
  tampered,
  checksumMismatch,
]

/** The fault of a word. */
export function faultNamed(kind: string): Fault | undefined {
  return faults.find((fault) => fault.kind === kind)
}
