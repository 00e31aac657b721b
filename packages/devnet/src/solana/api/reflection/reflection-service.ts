import { descriptors } from '@fairlead/grpc/descriptors'
import {
  ServerReflectionDefinition,
  ServerReflectionV1AlphaDefinition,
  type ServerReflectionRequest,
  type ServerReflectionResponse,
} from '@fairlead/grpc/reflection'
import { implement, Status, type Implementation, type StatusCode } from '@fairlead/grpc-transport'
import { readProtoFile, type ProtoFile } from './file-descriptor.ts'

type Answer = NonNullable<ServerReflectionResponse['messageResponse']>

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
  async function* answerAll(requests: AsyncIterable<ServerReflectionRequest>) {
    known ??= createDirectory(names)
    const sent = new Set<string>()
    for await (const request of requests)
      yield {
        validHost: request.host,
        originalRequest: request,
        messageResponse: answer(request, known, sent),
      }
  }
  return definitions.map((definition) => implement(definition, { serverReflectionInfo: answerAll }))
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

function answer(
  { messageRequest }: ServerReflectionRequest,
  directory: Directory,
  sent: Set<string>,
): Answer {
  switch (messageRequest?.$case) {
    case 'listServices':
      return {
        $case: 'listServicesResponse',
        value: { service: directory.services.map((name) => ({ name })) },
      }
    case 'fileByFilename':
      return answerFile(directory.files.get(messageRequest.value), directory, sent)
    case 'fileContainingSymbol':
      return answerFile(directory.fileOfSymbol.get(messageRequest.value), directory, sent)
    case 'fileContainingExtension':
    case 'allExtensionNumbersOfType':
      return refuse(Status.NOT_FOUND, 'the files have no extensions')
    case undefined:
    default:
      return refuse(Status.INVALID_ARGUMENT, 'the request asks nothing')
  }
}

// Includes the imported files that were not sent on this stream yet.
function answerFile(file: ProtoFile | undefined, { files }: Directory, sent: Set<string>): Answer {
  if (file === undefined) return refuse(Status.NOT_FOUND, 'the server has no such file or symbol')
  const imported = new Set<ProtoFile>()
  const collect = (one: ProtoFile | undefined): void => {
    if (one === undefined || imported.has(one)) return
    imported.add(one)
    for (const name of one.imports) collect(files.get(name))
  }
  collect(file)
  const told = [...imported].filter((one) => one === file || !sent.has(one.name))
  for (const { name } of told) sent.add(name)
  return {
    $case: 'fileDescriptorResponse',
    value: { fileDescriptorProto: told.map(({ bytes }) => bytes) },
  }
}

function refuse(errorCode: StatusCode, errorMessage: string): Answer {
  return { $case: 'errorResponse', value: { errorCode, errorMessage } }
}
