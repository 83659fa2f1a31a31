/** A server that holds a page: its bundle and chunks out of a folder, and the worker of msw. */
import { existsSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join, resolve } from 'node:path'

const html =
  '<!doctype html><title>page</title><link rel="icon" href="data:,"><script type="module" src="/page.js"></script>'

/** Serves until it is closed; `served` are the paths that reached it. */
export async function serveSite(folder: string, msw = 'msw') {
  const served: string[] = []
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? '/', 'http://a.test').pathname
    served.push(path)
    const file =
      path === '/mockServiceWorker.js'
        ? resolve('node_modules', msw, 'lib/mockServiceWorker.js')
        : join(folder, path)
    if (path === '/') response.setHeader('content-type', 'text/html').end(html)
    else if (path === '/logo.svg')
      response.setHeader('content-type', 'image/svg+xml').end('<svg xmlns="http://www.w3.org/2000/svg"/>')
    else if (path.endsWith('.js') && existsSync(file))
      response.setHeader('content-type', 'text/javascript').end(readFileSync(file))
    else response.writeHead(404).end()
  })
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    served,
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}
