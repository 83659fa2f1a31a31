/** What the import of a WebAssembly file is to the bundler: its bytes (`loader: { '.wasm': 'binary' }`). */
declare module '*.wasm' {
  const bytes: Uint8Array
  export default bytes
}
