/** What a package entry hands to the core because only its platform has it: loading, drawing, real time. */
import type { Clock } from '../engine/clock.ts'
import type { ImageFacts } from '../protocol/call.ts'
import type { Facilities, Need } from '../protocol/endpoint.ts'
import type { Media } from '../protocol/media.ts'
import type { Settings } from '../protocol/settings.ts'

export interface Platform {
  readonly facilities: LoadedFacilities
  readonly media: MediaPlatform
  /** Moves a clock of mode `real`. */
  drive(clock: Clock): void
  /** Resolves when everything that was ready has had its turn: promises, and what sockets have received. */
  turn(): Promise<void>
}

export type CreatePlatform = (settings: Settings) => Platform

/** What endpoints need, loaded when the first call needs it. */
export interface LoadedFacilities {
  readonly loaded: Facilities
  load(needs: readonly Need[]): Promise<void>
}

export interface MediaPlatform {
  /** Rejects with the reason of `abandoned` when the client has gone. */
  render(media: Media, abandoned?: AbortSignal): Promise<RenderedMedia>
  inspectPixels(facts: ImageFacts, bytes: Uint8Array): Promise<ImageFacts>
  close(): Promise<void>
}

export interface RenderedMedia {
  readonly bytes: Uint8Array
  readonly type: string
  readonly etag: string
}
