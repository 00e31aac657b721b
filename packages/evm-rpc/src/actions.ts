/**
 * One function per method, named as on the wire. A bundle holds only those that it imports.
 *
 * @module
 */
export type { ActionClient } from './action.ts'
export * from './generated/actions.ts'
