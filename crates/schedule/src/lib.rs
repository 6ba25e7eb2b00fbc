//! Array stage → parallel stage: what runs where.
