import { Writable } from 'node:stream'

/** A stream that stores the text that is written to it. */
export function memory(): { readonly stream: Writable; text(): string } {
  let text = ''
  const stream = new Writable({
    write(chunk: Buffer, _, done) {
      text += chunk.toString()
      done()
    },
  })
  return { stream, text: () => text }
}
