/** Request bodies whose field schemas are created on first use: most requests have few fields. */
import * as z from 'zod'
import { lazy } from '../engine/fields.ts'

type Makers = Readonly<Record<string, () => z.ZodType>>
type Whole<Fields extends Makers> = z.ZodObject<
  { -readonly [Name in keyof Fields]: ReturnType<Fields[Name]> },
  z.core.$loose
>

/** The schema of a body, and its fields one by one. */
export interface BodyFields<Fields extends Makers = Makers> {
  (): Whole<Fields>
  readonly fields: Fields
  /** The fields that are validated even if the body lacks them. */
  readonly always: readonly string[]
}

/** An object with these fields that allows others; `always` lists the required ones. */
export function bodyFields<const Fields extends Makers>(
  always: readonly (keyof Fields & string)[],
  fields: Fields,
): BodyFields<Fields> {
  const made = Object.fromEntries(Object.entries(fields).map(([name, make]) => [name, lazy(make)]))
  const whole = lazy(() => objectOf(made, Object.keys(made)) as unknown as Whole<Fields>)
  return Object.assign(() => whole(), { fields: made as Fields, always })
}

/** The object of some of the fields. */
export function objectOf(fields: Makers, names: readonly string[]): z.ZodType {
  return z.looseObject(Object.fromEntries(names.map((name) => [name, (fields[name] as () => z.ZodType)()])))
}
