/** JSON values, one in each line. */
export function lineReader<Value>(read: (value: Value) => void): (text: string) => void {
  let rest = ''
  return (text) => {
    const lines = (rest + text).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) read(JSON.parse(line) as Value)
  }
}
