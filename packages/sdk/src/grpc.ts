export * from '@fairlead/grpc'
export * as geyser from '@fairlead/grpc/geyser'
export * as health from '@fairlead/grpc/health'
