// msw is not installed, and vitest only loads its entry in a test.
const names = ['', '/node', '/express', '/client', '/openapi', '/trial']
const entries = await Promise.all(names.map((name) => import(`gateway-sim${name}`)))
console.log(`${entries.filter((entry) => Object.keys(entry).length > 0).length} entries`)
