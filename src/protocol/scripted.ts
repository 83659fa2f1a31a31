/**
 * What a group declares about a kind of resource: what scenarios may write about one, and how one exists
 * before any call. `scenario/` never imports endpoints; it is given this.
 */
import type * as z from 'zod'
import type { Resource } from '../engine/resource.ts'
import type { Sandbox } from '../engine/sandbox.ts'
import type { Timeline } from '../engine/timeline.ts'
import type { HeldBytes } from './call.ts'
import type { PlannedJob } from './plan.ts'
import type { Settings } from './settings.ts'

/** A kind of resource that lives over time. */
export interface ScriptedKind {
  /** Its word in scenario files: `imageJobs`. */
  readonly name: string
  /** Its word in the store and in the journal: `imageJob`. */
  readonly resource: string
  /** One of it in a sentence: `image job`. */
  readonly noun: string
  /** Set when its result is a file that has to be fetched before it expires. */
  readonly resultExpires?: true
  /** Whether a submission with a `callback` is rejected. */
  readonly rejectsCallback?: true
  /** The statuses that a response shows when one has ended. */
  readonly ended: { readonly succeeded: unknown; readonly failed: unknown }
  /** The field of `given` with the prompt; `prompt` unless set. */
  readonly promptField?: string
  /** How one ended, by the text of a response that shows it; by its field `status` unless given. */
  readEnd?(response: string): 'succeeded' | 'failed' | undefined
  /** Where one is polled, for a sentence: `GET /v1/videos/video_1`. */
  pollRoute(id: string): string
  /** True when it makes several images, each of which can be blocked. */
  readonly hasImages?: true
  /** What the content filter makes of one; it fails half-way by default. */
  readonly filtered?: PlannedJob
  /** One that exists before the sample calls that start from another. */
  readonly sample?: Readonly<Record<string, unknown>>
  /** The parameters by which the polling operation finds one. */
  pollParams(resource: Resource): Readonly<Record<string, string>>
  /** What the response to a poll shows, in the words of `entry`. */
  readPoll(body: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>>
  /**
   * The fields that an entry of a timeline may set, in the words of the contract, each optional and with a
   * description. What the contract does not allow is rejected, unless the script is marked `offContract`.
   * @internal
   */
  readonly entry: () => z.ZodObject
  /** A field of such an entry that does nothing beside the others, and what to do about it. @internal */
  idleField?(
    fields: Readonly<Record<string, unknown>>,
  ): { readonly name: string; readonly message: string } | undefined
  /** Where these fields stand in the response to a poll, if not under their names at the top. */
  readonly wirePaths?: Readonly<Record<string, string>>
  /** The numbers among these fields, which may move along a ramp. */
  readonly ramps: readonly string[]
  /** What an entry sets, as the timeline holds it (`succeeded` is 2). Called with off-contract values too. */
  patch(fields: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>>
  /**
   * What a change of the status by itself brings along in a resource that is in `state`, so that it is one
   * that the contract knows: a completed video is at 100 percent and has no error. `patch` is as the function
   * before returns it; what it says itself stands.
   */
  follows(
    patch: Readonly<Record<string, unknown>>,
    state: Readonly<Record<string, unknown>>,
  ): Readonly<Record<string, unknown>>
  /** What `given` may say of one beside `timeline` and `age`: id, key, status and so on. @internal */
  readonly given: () => z.ZodObject
  /** Puts a given resource into a sandbox that has just been created. */
  put(given: GivenResource, context: { readonly sandbox: Sandbox; readonly settings: Settings }): void
}

/** One resource that exists when a scenario begins. */
export interface GivenResource {
  /** As the kind's `given` reads it. */
  readonly fields: Readonly<Record<string, unknown>>
  /** Instead of the default one. */
  readonly timeline: Timeline | undefined
  /** How long ago it was made, in milliseconds; as long as its status takes by default when undefined. */
  readonly age: number | undefined
  readonly offContract: boolean
  /** What it has made, in order, instead of what is drawn; the last one stands for all further ones. */
  readonly contents: readonly HeldBytes[] | undefined
}

/** A file that was uploaded before a scenario begins. */
export interface GivenFile {
  /** As an upload URL names it: `images/cat.png`. */
  readonly path: string
  /** The storage provider; the first one of the settings when undefined. */
  readonly provider?: string | undefined
  /** Its media type; by its bytes and its path when undefined. */
  readonly contentType?: string | undefined
  readonly bytes: HeldBytes
  /** How long ago it was uploaded, in milliseconds. */
  readonly age?: number | undefined
}

/** How a group keeps the files that scenarios give. */
export interface GivenFiles {
  /** What is wrong with a file, and in which of its fields; a sentence without full stop. */
  faultOf(
    file: GivenFile,
    settings: Settings,
  ): { readonly field: 'path' | 'provider' | 'contentType' | 'content'; readonly message: string } | undefined
  /** Puts files into a sandbox at its beginning. Throws a `RangeError` for one that `faultOf` rejects. */
  put(files: readonly GivenFile[], context: { readonly sandbox: Sandbox; readonly settings: Settings }): void
}
