/**
 * A group's declaration of a kind of resource: its fields in scenarios, and how to create given resources.
 * `scenario/` never imports endpoints; it receives these declarations.
 */
import type * as z from 'zod'
import type { Resource } from '../engine/resource.ts'
import type { Sandbox } from '../engine/sandbox.ts'
import type { Timeline } from '../engine/timeline.ts'
import type { HeldBytes } from './call.ts'
import type { PlannedJob } from './plan.ts'
import type { Settings } from './settings.ts'

/** A kind of resource with a lifecycle. */
export interface ScriptedKind {
  /** Its key in scenario files: `imageJobs`. */
  readonly name: string
  /** Its name in the store and the journal: `imageJob`. */
  readonly resource: string
  /** Its noun in messages: `image job`. */
  readonly noun: string
  /** Set if its result is a file that expires. */
  readonly resultExpires?: true
  /** Whether a submission with a `callback` is rejected. */
  readonly rejectsCallback?: true
  /** The statuses of a finished resource. */
  readonly ended: { readonly succeeded: unknown; readonly failed: unknown }
  /** The final status in the text of a response. Default: its field `status`. */
  readEnd?(response: string): 'succeeded' | 'failed' | undefined
  /** The poll request, for messages: `GET /v1/videos/video_1`. */
  pollRoute(id: string): string
  /** The request that lists them, if there is one: `GET /v1/videos`. */
  readonly listRoute?: string
  /** True if it has several images that can be blocked separately. */
  readonly hasImages?: true
  /** The effect of the content filter. Default: it fails halfway. */
  readonly filtered?: PlannedJob
  /** A resource for sample requests that need a source. */
  readonly sample?: Readonly<Record<string, unknown>>
  /** The parameters of the poll request. */
  pollParams(resource: Resource): Readonly<Record<string, string>>
  /** The response to a poll, with the fields of `entry`. */
  readPoll(body: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>>
  /**
   * The fields that a timeline entry may set, named as in the contract, each optional and with a description.
   * Contract violations are rejected, unless the script is marked `offContract`. @internal
   */
  readonly entry: () => z.ZodObject
  /** The numeric fields that may have a ramp. */
  readonly ramps: readonly string[]
  /**
   * The patch of an entry in the timeline's format (`succeeded` is 2). Also called with off-contract values.
   */
  patch(fields: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>>
  /**
   * The changes that follow from a change of the status in `state`, to satisfy the contract: a completed
   * video has 100 percent and no error. `patch` is the result of the previous function; its values take
   * precedence.
   */
  follows(
    patch: Readonly<Record<string, unknown>>,
    state: Readonly<Record<string, unknown>>,
  ): Readonly<Record<string, unknown>>
  /** The fields of `given` besides `timeline` and `age`: id, key, status and others. @internal */
  readonly given: () => z.ZodObject
  /** Adds a given resource to a new sandbox. */
  put(given: GivenResource, context: { readonly sandbox: Sandbox; readonly settings: Settings }): void
}

/** A given resource. */
export interface GivenResource {
  /** As the kind's `given` reads it. */
  readonly fields: Readonly<Record<string, unknown>>
  /** Replaces the default timeline. */
  readonly timeline: Timeline | undefined
  /** Its age in milliseconds. Default: the time until its status in the default timeline. */
  readonly age: number | undefined
  readonly offContract: boolean
}

/** A given upload. */
export interface GivenFile {
  /** Its path, as in an upload URL: `images/cat.png`. */
  readonly path: string
  /** The storage provider. Default: the first one of the settings. */
  readonly provider?: string | undefined
  /** Its media type. Default: from its bytes and path. */
  readonly contentType?: string | undefined
  readonly bytes: HeldBytes
  /** The time since its upload in milliseconds. */
  readonly age?: number | undefined
}

/** A group's storage of given files. */
export interface GivenFiles {
  /** The error in a file with its field, as a sentence without full stop. */
  faultOf(
    file: GivenFile,
    settings: Settings,
  ): { readonly field: 'path' | 'provider' | 'contentType' | 'content'; readonly message: string } | undefined
  /** Adds files to a new sandbox. Throws a `RangeError` for a file that `faultOf` rejects. */
  put(files: readonly GivenFile[], context: { readonly sandbox: Sandbox; readonly settings: Settings }): void
}
