/** The bundler imports a WebAssembly file as its bytes (`moduleTypes: { '.wasm': 'binary' }`). */
declare module '*.wasm' {
  const bytes: Uint8Array
  export default bytes
}
