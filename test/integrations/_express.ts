/** The simulator in an Express app of the test. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import express, { type Express } from 'express'
import { onTestFinished } from 'vitest'
import { simulator } from '../_setup.ts'

type Sim = ReturnType<typeof simulator>

/** A server, closed when the test ends. */
export async function serve(
  build: (app: Express, sim: Sim) => void,
  options: Parameters<typeof simulator>[0] = {},
): Promise<{ sim: Sim; url: string; port: number }> {
  const sim = simulator(options)
  const app = express()
  build(app, sim)
  const server = createServer(app)
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  onTestFinished(async () => {
    await sim.close()
    server.closeAllConnections()
    await new Promise((closed) => server.close(closed))
  })
  const { port } = server.address() as AddressInfo
  return { sim, url: `http://127.0.0.1:${port}`, port }
}
