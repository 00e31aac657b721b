import { beginCell, storeMessage, type Message } from '@ton/core'

/**
 * Computes the hash of an external message that does not change in transit (TEP-467): without sender, import fee and
 * state init, with the body in a reference.
 *
 * @returns 32 bytes.
 */
export function normalizedHash(message: Message): Buffer {
  const { info } = message
  if (info.type !== 'external-in') throw new TypeError('only a message from outside has a normalized hash')
  return beginCell()
    .store(
      storeMessage(
        { info: { type: 'external-in', dest: info.dest, importFee: 0n }, init: null, body: message.body },
        { forceRef: true },
      ),
    )
    .endCell()
    .hash()
}
