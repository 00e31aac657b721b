import { descriptors } from '@fairlead/grpc/descriptors'
import {
  ServerReflectionDefinition,
  ServerReflectionV1AlphaDefinition,
  type ServerReflectionRequest,
  type ServerReflectionResponse,
} from '@fairlead/grpc/reflection'
import { implement, Status, type Implementation, type StatusCode } from '@fairlead/grpc-transport'
import { readProtoFile, type ProtoFile } from './file-descriptor.ts'

type MessageResponse = NonNullable<ServerReflectionResponse['messageResponse']>

/**
 * Creates both versions of the reflection service, which differ only in their names.
 *
 * @param services full names of the other services of the server
 * @see https://github.com/grpc/grpc/blob/master/doc/server-reflection.md
 */
export function createReflectionServices(services: readonly string[]): readonly Implementation[] {
  const definitions = [ServerReflectionDefinition, ServerReflectionV1AlphaDefinition] as const
  const names = [...services, ...definitions.map(({ fullName }) => fullName)]
  let known: Directory | undefined
  async function* respondAll(requests: AsyncIterable<ServerReflectionRequest>) {
    known ??= createDirectory(names)
    const sent = new Set<string>()
    for await (const request of requests)
      yield {
        validHost: request.host,
        originalRequest: request,
        messageResponse: respond(request, known, sent),
      }
  }
  return definitions.map((definition) => implement(definition, { serverReflectionInfo: respondAll }))
}

/** The reflection data of a server. */
interface Directory {
  readonly services: readonly string[]
  readonly files: ReadonlyMap<string, ProtoFile>
  readonly fileOfSymbol: ReadonlyMap<string, ProtoFile>
}

function createDirectory(services: readonly string[]): Directory {
  const all = Object.values(descriptors).map((text) => readProtoFile(Buffer.from(text, 'base64')))
  const byName = new Map(all.map((file) => [file.name, file]))
  const files = new Map<string, ProtoFile>()
  const add = (file: ProtoFile | undefined): void => {
    if (file === undefined || files.has(file.name)) return
    files.set(file.name, file)
    for (const name of file.imports) add(byName.get(name))
  }
  for (const file of all) if (file.services.some((service) => services.includes(service))) add(file)
  const fileOfSymbol = new Map(
    [...files.values()].flatMap((file) => file.symbols.map((symbol) => [symbol, file] as const)),
  )
  return { services, files, fileOfSymbol }
}

function respond(
  { messageRequest }: ServerReflectionRequest,
  directory: Directory,
  sent: Set<string>,
): MessageResponse {
  switch (messageRequest?.$case) {
    case 'listServices':
      return {
        $case: 'listServicesResponse',
        value: { service: directory.services.map((name) => ({ name })) },
      }
    case 'fileByFilename':
      return fileResponse(directory.files.get(messageRequest.value), directory, sent)
    case 'fileContainingSymbol':
      return fileResponse(directory.fileOfSymbol.get(messageRequest.value), directory, sent)
    case 'fileContainingExtension':
    case 'allExtensionNumbersOfType':
      return refuse(Status.NOT_FOUND, 'the files have no extensions')
    case undefined:
    default:
      return refuse(Status.INVALID_ARGUMENT, 'the request is empty')
  }
}

// Includes the imported files that were not sent on this stream yet.
function fileResponse(file: ProtoFile | undefined, { files }: Directory, sent: Set<string>): MessageResponse {
  if (file === undefined) return refuse(Status.NOT_FOUND, 'the server has no such file or symbol')
  const imported = new Set<ProtoFile>()
  const collect = (current: ProtoFile | undefined): void => {
    if (current === undefined || imported.has(current)) return
    imported.add(current)
    for (const name of current.imports) collect(files.get(name))
  }
  collect(file)
  const unsent = [...imported].filter((dependency) => dependency === file || !sent.has(dependency.name))
  for (const { name } of unsent) sent.add(name)
  return {
    $case: 'fileDescriptorResponse',
    value: { fileDescriptorProto: unsent.map(({ bytes }) => bytes) },
  }
}

function refuse(errorCode: StatusCode, errorMessage: string): MessageResponse {
  return { $case: 'errorResponse', value: { errorCode, errorMessage } }
}
