import { FairleadError } from '@fairlead/core'
import { GrpcError, Status, type StatusCode } from '@fairlead/grpc-transport/wire'
import { clientOver } from '../calls/client.ts'
import {
  type Connection,
  createConnection,
  type GrpcSettings,
  type SharedTransport,
} from '../calls/connection.ts'
import { callFailure } from '../calls/failure.ts'
import type { GrpcCallOptions } from '../calls/types.ts'
import {
  ServerReflectionDefinition as V1,
  type ServerReflectionRequest,
  type ServerReflectionResponse,
} from '../generated/grpc/reflection/v1/reflection.ts'
import { ServerReflectionDefinition as V1Alpha } from '../generated/grpc/reflection/v1alpha/reflection.ts'

/** Options of {@link createReflectionClient}: transport, token, and timeout in milliseconds. */
export type ReflectionClientOptions = Omit<GrpcSettings, 'retries'> & SharedTransport

/** Options of a single call: `timeoutMs` in milliseconds. */
export type ReflectionCallOptions = Pick<GrpcCallOptions, 'signal' | 'timeoutMs' | 'metadata'>

/**
 * Queries the services and descriptors of a server. If it does not support version 1 of the service, `v1alpha` is used
 * from then on.
 */
export interface ReflectionClient {
  /** Lists the full names of the services. */
  listServices(options?: ReflectionCallOptions): Promise<readonly string[]>
  /**
   * Gets the file that declares a message, enum, service or method, and the files that it imports if the server sends
   * them.
   *
   * @param symbol - full name, for example `geyser.Geyser`
   * @returns each a `google.protobuf.FileDescriptorProto` in its binary form
   */
  fileContainingSymbol(symbol: string, options?: ReflectionCallOptions): Promise<readonly Uint8Array[]>
  /** Gets a file by the name under which others import it, as {@link fileContainingSymbol} does. */
  fileByFilename(name: string, options?: ReflectionCallOptions): Promise<readonly Uint8Array[]>
}

/**
 * Creates a client that queries a server for its services and their descriptors.
 *
 * @param options - transport, and token, as for `createGrpcClient`
 * @returns the queries; each throws FairleadError `GRPC_STATUS`, NOT_FOUND for a name that the server does not have
 * @throws FairleadError `CONFIG_INVALID`
 * @example
 * ```ts
 * const reflection = createReflectionClient({ transport: createHttp2Transport('https://node.example.com') })
 * const [bytes] = await reflection.fileContainingSymbol('geyser.Geyser')
 * const file = fromBinary(FileDescriptorProtoSchema, bytes) // both of @bufbuild/protobuf
 * ```
 * @see https://github.com/grpc/grpc/blob/master/doc/server-reflection.md
 */
export function createReflectionClient(options: ReflectionClientOptions): ReflectionClient {
  const connection = createConnection(options, () => options.transport)
  // The two versions differ only in their name.
  const v1 = versionOf(V1, connection)
  const v1alpha = versionOf(V1Alpha, connection)
  let supported: Version | undefined

  async function query(
    request: ReflectionQuery,
    callOptions: ReflectionCallOptions = {},
  ): Promise<ReflectionResult> {
    if (supported) return supported(request, callOptions)
    try {
      const response = await v1(request, callOptions)
      supported = v1
      return response
    } catch (error) {
      if (!isUnimplemented(error)) throw error
      const response = await v1alpha(request, callOptions)
      supported = v1alpha
      return response
    }
  }

  async function files(
    request: ReflectionQuery,
    callOptions?: ReflectionCallOptions,
  ): Promise<readonly Uint8Array[]> {
    const response = await query(request, callOptions)
    return response?.$case === 'fileDescriptorResponse' ? response.value.fileDescriptorProto : []
  }

  return {
    async listServices(callOptions) {
      const response = await query({ $case: 'listServices', value: '' }, callOptions)
      return response?.$case === 'listServicesResponse' ? response.value.service.map(({ name }) => name) : []
    },
    fileContainingSymbol: (value, callOptions) =>
      files({ $case: 'fileContainingSymbol', value }, callOptions),
    fileByFilename: (value, callOptions) => files({ $case: 'fileByFilename', value }, callOptions),
  }
}

type ReflectionQuery = ServerReflectionRequest['messageRequest']
type ReflectionResult = ServerReflectionResponse['messageResponse']

/** Sends one query to one version of the service. */
type Version = (request: ReflectionQuery, options: ReflectionCallOptions) => Promise<ReflectionResult>

function versionOf(definition: typeof V1 | typeof V1Alpha, connection: Connection): Version {
  const client = clientOver(definition, connection)
  const operation = `/${definition.fullName}/${definition.methods.serverReflectionInfo.name}`
  const failure = (code: StatusCode, detail: string) =>
    callFailure(operation, new GrpcError(code, detail), connection.secrets)
  return async (messageRequest, options) => {
    const limits = { timeoutMs: connection.timeoutMs, ...options }
    for await (const { messageResponse } of client.serverReflectionInfo([{ messageRequest }], limits)) {
      if (messageResponse?.$case !== 'errorResponse') return messageResponse
      const { errorCode, errorMessage } = messageResponse.value
      throw failure(errorCode as StatusCode, errorMessage)
    }
    throw failure(Status.INTERNAL, 'the server ended the stream without an answer')
  }
}

function isUnimplemented(error: unknown): boolean {
  return FairleadError.is(error, 'GRPC_STATUS') && error.details.status === Status.UNIMPLEMENTED
}
