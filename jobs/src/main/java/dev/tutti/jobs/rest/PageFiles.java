package dev.tutti.jobs.rest;

import com.linecorp.armeria.common.HttpHeaderNames;
import com.linecorp.armeria.common.ServerCacheControl;
import com.linecorp.armeria.server.file.FileService;
import com.linecorp.armeria.server.file.HttpFile;
import dev.tutti.serve.http.EndpointServer;

/** The page and its libraries, from the class path: nothing is fetched from elsewhere. */
public final class PageFiles {
    private static final String FOLDER = "dev/tutti/jobs/page";

    /** The page's own scripts and styles, and data that scripts make: images of drawings. */
    private static final String POLICY =
            "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; frame-ancestors 'none'";

    private PageFiles() {}

    public static void addTo(EndpointServer server) {
        ClassLoader classes = PageFiles.class.getClassLoader();
        server.service(
                "/",
                HttpFile.builder(classes, FOLDER + "/index.html")
                        .addHeader(HttpHeaderNames.CONTENT_SECURITY_POLICY, POLICY)
                        .build()
                        .asService());
        server.serviceUnder(
                "/page",
                FileService.builder(classes, FOLDER)
                        .addHeader(HttpHeaderNames.X_CONTENT_TYPE_OPTIONS, "nosniff")
                        .build());
        server.serviceUnder(
                "/library",
                FileService.builder(classes, "META-INF/resources/webjars")
                        .cacheControl(ServerCacheControl.IMMUTABLE)
                        .build());
    }
}
