import { jettonOperations } from '../../../jettons/jetton-messages.ts'

/** First 32 bits of the messages that are known: those that carry a text, and those of a jetton (TEP-74). */
export const opcode = { textComment: 0x00000000, encryptedComment: 0x2167da4b, ...jettonOperations } as const
