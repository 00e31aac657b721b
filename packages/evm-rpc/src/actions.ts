/**
 * One function per method, with the method's name. A bundle contains only the imported ones.
 *
 * @module
 */
export type { ActionClient } from './action.ts'
export * from './generated/actions.ts'
