import type { Send } from '../nodes/transport.ts'

/** Writes the addresses of what comes back in another form. */
export type AddressWriter = (send: Send) => Send
