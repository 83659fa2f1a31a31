/** What the platform of a package entry provides to the core: loading, rendering, real time. */
import type { Clock } from '../engine/clock.ts'
import type { Facilities, Need } from '../protocol/endpoint.ts'
import type { Media } from '../protocol/media.ts'
import type { Settings } from '../protocol/settings.ts'

export interface Platform {
  readonly facilities: LoadedFacilities
  readonly media: MediaPlatform
  /** Drives a clock of mode `real`. */
  drive(clock: Clock): void
  /** Resolves after all pending promises and received socket data have been processed. */
  turn(): Promise<void>
}

export type CreatePlatform = (settings: Settings) => Platform

/** Dependencies of endpoints, loaded on first use. */
export interface LoadedFacilities {
  readonly loaded: Facilities
  load(needs: readonly Need[]): Promise<void>
}

export interface MediaPlatform {
  render(media: Media): Promise<RenderedMedia>
  close(): Promise<void>
}

export interface RenderedMedia {
  readonly bytes: Uint8Array
  readonly type: string
  readonly etag: string
}
