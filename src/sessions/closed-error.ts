/** What becomes of a simulator that was closed. */

/** Thrown by a simulator that was closed, and by its sessions; `fetch` rejects with it. */
export class SimulatorClosedError extends Error {
  override readonly name = 'SimulatorClosedError'

  constructor() {
    super(
      'the simulator was closed, and takes no more calls: close it after the last one, or create another one',
    )
  }
}
