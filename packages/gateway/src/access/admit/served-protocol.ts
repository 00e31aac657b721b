/** A protocol of nodes that this service serves. */
export type ServedProtocol = 'evm' | 'beacon' | 'jetton' | 'grpc'
