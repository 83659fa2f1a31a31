/** Bundles the app with the simulator, and serves it. */
import { build, context } from 'esbuild'

export async function serve(port = 0) {
  await build({
    entryPoints: ['src/app.js'],
    outdir: 'public/bundle',
    bundle: true,
    splitting: true,
    format: 'esm',
    target: 'es2023',
    define: { SIMULATED: 'true' },
  })
  const files = await context({})
  const server = await files.serve({ servedir: 'public', host: '127.0.0.1', port })
  return { url: `http://127.0.0.1:${server.port}/`, close: () => files.dispose() }
}

if (process.argv[1] === import.meta.filename) console.log((await serve(8000)).url)
