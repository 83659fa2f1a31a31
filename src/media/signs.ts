/** The signs of videos: each second shows one. */
import { randomFrom } from '../engine/random.ts'

/** Frames per second of every video. */
export const frameRate = 24

/** Letters that are easy to distinguish. */
export const signs = 'ACEFHJKLMNPRTUXY'

/** The signs of a video, one per second; neighbours differ. */
export function signsOf(seed: string, seconds: number): string {
  const random = randomFrom(`film ${seed}`)
  let place = random.integer(0, signs.length - 1)
  let drawn = signs.charAt(place)
  while (drawn.length < seconds) {
    place = (place + random.integer(1, signs.length - 1)) % signs.length
    drawn += signs.charAt(place)
  }
  return drawn
}
