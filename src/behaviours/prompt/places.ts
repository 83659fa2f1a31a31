/** Postal addresses, zip codes and coordinates in a prompt. */

const name = String.raw`\p{Lu}[\p{L}.'’-]{0,30}`
const street =
  String.raw`\d{1,4}[A-Za-z]?(?:[-/]\d{1,4})? (?:${name} ?|\d{1,3}(?:st|nd|rd|th) ?){1,5}|` +
  String.raw`${name}(?:stra(?:ss|ß)e|str\.|weg|platz|allee|gasse) \d{1,4}[a-z]?`
const code =
  String.raw`\d{5}(?:-\d{4})?|\d{4} ?[A-Z]{2}|[A-Z]{1,2}\d[A-Z\d]? ?\d[A-Z]{2}|[A-Z]\d[A-Z] ` +
  String.raw`?\d[A-Z]\d`
const addressPattern = new RegExp(
  String.raw`(?<![\p{L}\d$€£.,])(${street})((?:, ?(?:(?:${code})\b ?)?(?:${name} ` +
    String.raw`?){0,4}(?:(?:${code})\b)?){0,4})`,
  'gu',
)
const codePattern = new RegExp(String.raw`(?<![\w$€£#.,-])(?:${code})(?![\w-])(?![.,]\d)`, 'gu')
const stateCode = new RegExp(
  String.raw`(?<=\p{L},? )[A-Z]{2}(?=,? (?:${code})(?![\w-]))|(?<=\p{Lu}\p{Ll}+, )[A-Z]{2}(?![\w-])`,
  'gu',
)
const coordinates = new RegExp(
  String.raw`(?<![\d.])(-?\d{1,2}(?:\.\d{1,10})?)\s?°?\s?([NS])?\s?(?:,|/| and ` +
    String.raw`)\s?(?:lon(?:gitude)? ?|lng )?(-?\d{1,3}(?:\.\d{1,10})?)\s?°?\s?([EW])?(?![\d.])`,
  'giu',
)

export interface PlaceFacts {
  /** `12 Main Street, Springfield`. */
  readonly addresses: readonly string[]
  /** `12 Main Street`. */
  readonly streets: readonly string[]
  readonly zips: readonly string[]
  /** The two letters behind a town: `OR` of "Springfield, OR 97403". */
  readonly states: readonly string[]
  /** Latitude and longitude. */
  readonly coordinates: readonly (readonly [number, number])[]
}

export function placesIn(prompt: string): PlaceFacts {
  const text = prompt.slice(-4000)
  const found = [...text.matchAll(addressPattern)]
  return {
    addresses: found.map(([whole]) => whole.replace(/[\s,.]+$/u, '')),
    streets: found.map(([, line = '']) => line.trim()),
    states: [...text.matchAll(stateCode)].map(([state]) => state),
    zips: [...text.matchAll(codePattern)].map(([zip]) => zip),
    coordinates: [...text.matchAll(coordinates)].flatMap(([whole, lat, south, long, west]) =>
      /\.|°|[NS]\b/.test(whole)
        ? [
            [
              Number(lat) * (south?.toUpperCase() === 'S' ? -1 : 1),
              Number(long) * (west?.toUpperCase() === 'W' ? -1 : 1),
            ] as const,
          ]
        : [],
    ),
  }
}
