export type { Call, CallStart, Transport } from './call.ts'
export { callUnary, type UnaryResponse } from './call-unary.ts'
export { createFrameReader, type FrameReader, type FrameReaderOptions } from './frame-reader.ts'
export { frameMessage } from './frame.ts'
export { GrpcError } from './grpc-error.ts'
export { type HeaderFields, headersToMetadata, metadataToHeaders } from './metadata-headers.ts'
export type { Metadata, MetadataValue } from './metadata.ts'
export {
  encodeMessage,
  type MessageCodec,
  type MessageInput,
  type MessageOf,
  type MethodDefinition,
  type ServiceDefinition,
} from './service.ts'
export { decodeStatusMessage, encodeStatusMessage } from './status-message.ts'
export { Status, type StatusCode, type StatusName, statusName, statusOfHttp } from './status.ts'
export { formatTimeout, parseTimeout } from './timeout.ts'
export { errorOfTrailers, frameTrailers, parseTrailers } from './trailers.ts'
