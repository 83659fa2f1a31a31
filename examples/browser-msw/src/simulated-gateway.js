/** Simulates the gateway in the page. Tests use `gateway` to script it and to check its requests. */
import { createSimulator } from 'gateway-sim'
import { handlers } from 'gateway-sim/msw'
import { setupWorker } from 'msw/browser'

const simulator = createSimulator({ clock: 'auto' })
const routes = handlers(simulator, { origins: ['https://gateway.example'] })
await setupWorker(...routes).start({ onUnhandledRequest: 'bypass', quiet: true })
globalThis.gateway = simulator
