/**
 * The proto files of the services as descriptors, for servers that offer reflection.
 *
 * @module
 */
export * from './generated/descriptors.ts'
