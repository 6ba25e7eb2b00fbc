//! Parallel stage → memory stage: blocks, layouts, destinations.
