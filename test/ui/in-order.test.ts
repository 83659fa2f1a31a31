/** Responses of the control API that overtake each other. */
import { expect, it } from 'vitest'
import { inOrder } from '../../src/ui/in-order.ts'

it('an overtaken response does not replace a newer one, nor does a failure', async () => {
  const shown: string[] = []
  const pass = inOrder()
  const started = (): { readonly read: Promise<void>; end(read: string | Promise<string>): void } => {
    let end: (read: string | Promise<string>) => void = () => undefined
    const response = new Promise<string>((resolve) => (end = resolve))
    return { read: pass(response, (one) => shown.push(one)), end }
  }
  const [first, second, third] = [started(), started(), started()]
  second.end('second')
  await second.read
  first.end('first')
  await first.read
  third.end(Promise.reject(new Error('gone')))
  await expect(third.read).rejects.toThrow('gone')
  expect(shown).toEqual(['second'])
})
