import { jettonOperations } from '../../../jettons/jetton-messages.ts'

/**
 * Operation codes, the first 32 bits of a body, of the known messages: those with a text, and those of a jetton
 * (TEP-74).
 */
export const opcode = { textComment: 0x00000000, encryptedComment: 0x2167da4b, ...jettonOperations } as const
