import type { Send } from '../nodes/transport.ts'

/** Converts the addresses in responses to another form. */
export type AddressWriter = (send: Send) => Send
