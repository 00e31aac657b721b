import { toBinary } from '@bufbuild/protobuf'
import { type FileDescriptorSet, FileDescriptorProtoSchema } from '@bufbuild/protobuf/wkt'
import { jsonLiteral, sorted } from './json-literal.ts'

/**
 * Generates the methods of all services as data for routing and counting on a server, without message types.
 *
 * @param descriptors - all proto files of the family
 * @returns TypeScript
 */
export function grpcContract({ file }: FileDescriptorSet): string {
  const methods = file.flatMap((proto) =>
    proto.service.flatMap((service) =>
      service.method.map(({ name, clientStreaming, serverStreaming }) => [
        `/${proto.package}.${service.name}/${name}`,
        { requestStream: clientStreaming, responseStream: serverStreaming },
      ]),
    ),
  )
  return `/** A method of a service: which of its messages come as streams. */
export interface GrpcMethod {
  readonly requestStream: boolean
  readonly responseStream: boolean
}

/** The methods of all services by path. */
export const methods: Readonly<Record<string, GrpcMethod>> = ${jsonLiteral(sorted(Object.fromEntries(methods)))}
`
}

/**
 * Generates the descriptors of all proto files as data for responses of server reflection.
 *
 * @param descriptors - all proto files of the family and their imports
 * @returns TypeScript
 */
export function grpcDescriptors({ file }: FileDescriptorSet): string {
  const texts = file.map((proto) => [
    proto.name,
    Buffer.from(toBinary(FileDescriptorProtoSchema, proto)).toString('base64'),
  ])
  return `/**
 * Each proto file by name, as the base64 text of its \`google.protobuf.FileDescriptorProto\`. A file stands after those
 * that it imports.
 */
export const descriptors: Readonly<Record<string, string>> = ${jsonLiteral(Object.fromEntries(texts))}
`
}
