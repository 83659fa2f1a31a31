/** Responses of the control API that overtake each other. */
import { expect, it } from 'vitest'
import { inOrder } from '../../src/ui/in-order.ts'

it('an overtaken response or failure does not replace a newer response', async () => {
  const shown: string[] = []
  const pass = inOrder()
  const started = (): { readonly read: Promise<void>; end(read: string | Promise<string>): void } => {
    let end: (read: string | Promise<string>) => void = () => undefined
    const response = new Promise<string>((resolve) => (end = resolve))
    return { read: pass(response, (one) => shown.push(one)), end }
  }
  const [first, second, third, fourth] = [started(), started(), started(), started()]
  third.end('third')
  await third.read
  first.end('first')
  await first.read
  second.end(Promise.reject(new Error('late')))
  await second.read
  fourth.end(Promise.reject(new Error('gone')))
  await expect(fourth.read).rejects.toThrow('gone')
  expect(shown).toEqual(['third'])
})
