/** The paths of the simulator itself. */

/** Of the control API. */
export const controlPrefix = '/__sim'
