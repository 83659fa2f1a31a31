/** The rooms that a prompt speaks of: "the living room", "in the nursery", "Conference Room B". */

const before =
  'living|dining|guest|meeting|conference|laundry|utility|class|play|sun|bath|bed|' +
  "kids['’]?|child(?:ren)?['’]s|" +
  'master bed|spare|server|waiting|family|media|storage|changing|board|break|games?|music|sitting|tv|staff'
const known =
  'kitchen|nursery|office|garage|hallway|basement|attic|garden|livingroom|cellar|lobby|lounge|corridor|' +
  'pantry|balcony|patio|terrace|porch|conservatory|toilet|reception|canteen|cafeteria|warehouse|workshop|' +
  'upstairs|downstairs'
const noRoom =
  'morning|evening|afternoon|night|meantime|dark|end|moment|background|house|home|whole|future|past|way|' +
  'event|case|middle|list|file|same|next|first|last|calendar|city|town|country|world|air|rain|' +
  'sun|main|new|old|near'
const pattern = new RegExp(
  [
    String.raw`\p{Lu}\p{Ll}+ Room(?: (?:[A-Z]|\d{1,4}[A-Z]?)\b)?`,
    String.raw`\b(?:(?:${before})[ -]?room|${known})(?=s?\b)`,
    String.raw`(?<=\bin (?:the|my|our|his|her|their) )(?!(?:${noRoom})\b)\p{Ll}{3,20}\b`,
  ].join('|'),
  'gu',
)

export function roomsIn(text: string): readonly string[] {
  const found = [...text.slice(-4000).matchAll(pattern)].map(([room]) => room)
  // A room is capitalised for itself, or because the sentence begins with it: "Kitchen light on".
  const plain = text
    .slice(-4000)
    .match(new RegExp(`^(?:${known})(?=s?\\b)`, 'iu'))?.[0]
    .toLowerCase()
  return [...new Set(plain === undefined ? found : [plain, ...found])]
}
