/** The version of the package, a build constant. */

declare const GATEWAY_SIM_VERSION: string | undefined

export const version: string = typeof GATEWAY_SIM_VERSION === 'string' ? GATEWAY_SIM_VERSION : '0.0.0-source'
