/**
 * The proto files of the services as descriptors, for servers that support reflection.
 *
 * @module
 */
export * from './generated/descriptors.ts'
