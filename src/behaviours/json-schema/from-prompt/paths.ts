/** The files, folders and links that a property asks for. */
import { valuesBeside } from '../../prompt/beside.ts'
import type { TextFact } from '../../prompt/surroundings.ts'
import { type Filling, fresh } from '../filling.ts'
import type { Naming } from '../property-naming.ts'
import { TARGET } from './directions.ts'

/** Addresses without a scheme: `www.example.org/page`, `example.com`. */
export function linksOf(tokens: readonly string[]): readonly string[] {
  return tokens.filter((token) => bareLink.test(token)).map((token) => `https://${token}`)
}
const bareLink = new RegExp(
  String.raw`^(?:www\.[\w-]+(?:\.[\w-]+)+|(?:[a-z\d-]+\.)+(?:com|org|net|io|dev|ai|app|edu|gov|de` +
    String.raw`|uk|fr|eu|co|info|test))(?:/\S*)?$`,
  'iu',
)

/** Files and folders; what a source or a target is, the word in front says. */
export function pathsFor({ words }: Naming, { facts, used }: Filling): readonly string[] {
  const isTarget = words.some((word) => TARGET.has(word))
  const paths = [...facts.paths].sort(
    (one, other) => Number(isForTarget(other) === isTarget) - Number(isForTarget(one) === isTarget),
  )
  const isFolder = words.some((word) => /^(?:dir|directory|folder|cwd)$/u.test(word))
  const here = / (?:current|this|working) (?:directory|folder|dir) | here $/u.test(facts.plain) ? ['.'] : []
  const quoted = facts.quoted.filter(({ value }) => /[./\\]/u.test(value))
  const inside = / (?:in|under|inside|within|into) (?:the )?([\w.-]{1,60})[.?!]?$/u.exec(facts.text)?.[1]
  const named = valuesBeside([words.at(-1) ?? 'path'], facts.spans)
  const folders = ['directory', 'folder'].flatMap((noun) => valuesBeside([noun], facts.spans))
  return [
    ...fresh(quoted, used),
    ...fresh(paths, used),
    ...here,
    ...(isFolder ? [] : named),
    ...folders,
    ...named,
    ...(isFolder && inside !== undefined ? [inside] : []),
  ].filter((path) => !used.includes(path))
}
const isForTarget = ({ before }: TextFact): boolean => TARGET.has(before[0] ?? '')
