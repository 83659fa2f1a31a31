const dist = (name) => "/work/wt/h2/dist" + '/' + name + '.js'
const alias = [
  { find: /^(?:gateway-sim|.*\/src)\/vitest(?:\.ts)?$/, replacement: dist('vitest') },
  { find: 'gateway-sim/node', replacement: dist('node') },
  { find: 'gateway-sim/client', replacement: dist('client') },
  { find: 'gateway-sim', replacement: dist('index') },
]
export default { resolve: { alias }, test: { root: "/work/wt/h2/test/vitest/projects", include: ["passing.case.ts"], exclude: [], globals: false, server: { deps: { inline: [/\.test\.js$/], external: [/\/dist\//] } }, testTimeout: 30000, maxWorkers: 1, reporters: ['default', 'json'], outputFile: { json: "/work/wt/h2/test/vitest/projects/report.passing-case-ts.json" } } }
