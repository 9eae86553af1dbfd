package dev.gpubroker.broker.database;

import dev.gpubroker.broker.config.DatabaseUrl;
import org.postgresql.ds.PGSimpleDataSource;

/** Connections for the libraries that speak JDBC: Flyway and Quartz. */
final class Jdbc {
    private Jdbc() {}

    /** Unpooled. The password goes in beside the address, so no error message can repeat it. */
    static PGSimpleDataSource dataSource(DatabaseUrl url) {
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setServerNames(new String[] {url.host()});
        source.setPortNumbers(new int[] {url.port()});
        source.setDatabaseName(url.database());
        source.setUser(url.user());
        source.setPassword(url.password().value());
        source.setSslMode(url.sslMode());
        if (url.sslRootCertificate() != null) {
            source.setSslRootCert(url.sslRootCertificate());
        }
        source.setApplicationName("gpu-broker");
        source.setConnectTimeout(10);
        source.setTcpKeepAlive(true);
        return source;
    }
}
