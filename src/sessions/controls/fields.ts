/** The usual fields in schemas of the control API, each with its description. */
import * as z from 'zod'

/** @internal */
export const text = (what: string) => z.string().describe(what)

/** @internal */
export const int = (what: string) => z.int().describe(what)

/** @internal */
export const flag = (what: string) => z.boolean().describe(what)

/** @internal */
export const instant = (what: string) => z.iso.datetime().describe(what)
